; Selectors, at-rules and custom properties of a style sheet.

(rule_set (selectors) @name) @definition.selector
(keyframes_statement (keyframes_name) @name) @definition.rule
(media_statement "@media" @name (_) @name . (block)) @definition.rule
(supports_statement "@supports" @name (_) @name . (block)) @definition.rule
(at_rule (at_keyword) @name) @definition.rule
((declaration (property_name) @name) @definition.variable
  (#match? @name "^--"))

(comment) @above

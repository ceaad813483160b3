; Uses of custom properties and of animations in a style sheet.

((call_expression
  (function_name) @_function
  (arguments . (plain_value) @name)) @reference.variable
  (#eq? @_function "var"))
((declaration
  (property_name) @_property
  (plain_value) @name) @reference.animation
  (#any-of? @_property "animation" "animation-name"))
(import_statement (_) @name) @reference.import

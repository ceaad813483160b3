; Definitions of JavaScript and JSX beside those of ecmascript.

(class_declaration name: (identifier) @name) @definition.class
(field_definition
  property: (_) @name
  value: [
    (arrow_function)
    (function_expression)
  ]) @definition.method
(field_definition property: (_) @name) @definition.field

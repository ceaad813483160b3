; Definitions that JavaScript and TypeScript have in common. Variables of a function are local to it and left out later.

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.method

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function)
    (function_expression)
    (generator_function)
  ]) @definition.function
(variable_declarator
  name: (identifier) @name
  value: (class)) @definition.class
(lexical_declaration
  kind: "const"
  (variable_declarator name: (identifier) @name) @definition.constant)
(variable_declarator name: (identifier) @name) @definition.variable

((assignment_expression
  left: (member_expression
    object: (_) @_exports
    property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
  ]) @definition.function
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression
    object: [
      (identifier) @scope
      (member_expression
        object: (identifier) @scope
        property: (property_identifier) @_prototype
        (#eq? @_prototype "prototype"))
    ]
    property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
  ]) @definition.function
  (#not-eq? @scope "exports"))

(pair
  key: [
    (property_identifier)
    (string)
  ] @name
  value: [
    (arrow_function)
    (function_expression)
    (generator_function)
  ]) @definition.method

(export_statement
  "default" @name
  value: [
    (arrow_function)
    (function_expression)
  ]) @definition.function
(export_statement
  "default" @name
  value: (class)) @definition.class

((call_expression
  function: [
    (identifier) @_function
    (member_expression object: (identifier) @_function)
  ]
  arguments: (arguments
    .
    [
      (string)
      (template_string)
    ] @name
    [
      (arrow_function)
      (function_expression)
    ])) @definition.test
  (#any-of? @_function "describe" "it" "test" "suite" "context"))

(decorator) @above
(comment) @above

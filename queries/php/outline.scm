; Definitions of PHP.

(namespace_definition
  name: (namespace_name) @name
  body: (_)) @definition.namespace
((namespace_definition
  name: (namespace_name) @name
  !body) @definition.namespace
  (#set! level 0))
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.variant
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(const_declaration (const_element (name) @name)) @definition.constant

((function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string) @name))) @definition.constant
  (#eq? @_function "define"))
(program
  (expression_statement
    (assignment_expression left: (variable_name (name) @name)) @definition.variable))

(comment) @above

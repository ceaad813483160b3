; Definitions of TypeScript and TSX beside those of ecmascript.

(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body (property_identifier) @name @definition.variant)
(enum_body (enum_assignment name: (_) @name) @definition.variant)
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module

(function_signature name: (identifier) @name) @definition.declaration
(class_body (method_signature name: (_) @name) @definition.declaration)
(interface_body (method_signature name: (_) @name) @definition.method)
(interface_body (property_signature name: (_) @name) @definition.field)
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition
  name: (_) @name
  value: [
    (arrow_function)
    (function_expression)
  ]) @definition.method
(public_field_definition name: (_) @name) @definition.field
(required_parameter
  (accessibility_modifier)
  pattern: (identifier) @name) @definition.field

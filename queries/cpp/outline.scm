; Definitions of C++ beside those of C. What is defined outside of its class belongs to it by its qualified name.

(function_definition
  declarator: [
    (function_declarator
      declarator: [
        (field_identifier)
        (destructor_name)
        (operator_name)
      ] @name)
    (reference_declarator
      (function_declarator
        declarator: [
          (identifier)
          (field_identifier)
          (operator_name)
        ] @name))
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  ]) @definition.function

(function_definition
  declarator: [
    (function_declarator
      declarator: (qualified_identifier
        scope: (_) @scope
        name: [
          (identifier)
          (destructor_name)
          (operator_name)
          (operator_cast)
        ] @name))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (qualified_identifier
          scope: (_) @scope
          name: (identifier) @name)))
    (reference_declarator
      (function_declarator
        declarator: (qualified_identifier
          scope: (_) @scope
          name: [
            (identifier)
            (operator_name)
          ] @name)))
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          scope: (_) @scope
          name: [
            (identifier)
            (destructor_name)
            (operator_name)
          ] @name)))
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          name: (qualified_identifier
            scope: (_) @scope
            name: [
              (identifier)
              (destructor_name)
              (operator_name)
            ] @name))))
    (operator_cast) @name
  ]) @definition.function

(class_specifier
  name: [
    (type_identifier)
    (template_type)
    (qualified_identifier)
  ] @name
  body: (_)) @definition.class
(struct_specifier
  name: [
    (template_type)
    (qualified_identifier)
  ] @name
  body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; A template is as wide as what it is a template of, and what precedes it.
(template_declaration
  (function_definition
    declarator: (function_declarator
      declarator: [
        (identifier)
        (field_identifier)
        (operator_name)
      ] @name))) @definition.function
(template_declaration
  (function_definition
    declarator: (function_declarator
      declarator: (qualified_identifier
        scope: (_) @scope
        name: [
          (identifier)
          (operator_name)
        ] @name)))) @definition.function
(template_declaration (concept_definition name: (identifier) @name)) @definition.type
(template_declaration
  (declaration
    declarator: (function_declarator
      declarator: [
        (identifier)
        (field_identifier)
        (operator_name)
      ] @name))) @definition.declaration
(template_declaration
  (class_specifier
    name: (_) @name
    body: (_))) @definition.class
(template_declaration
  (struct_specifier
    name: (_) @name
    body: (_))) @definition.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type

(field_declaration
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @definition.declaration
(field_declaration_list
  (declaration
    declarator: (function_declarator declarator: (_) @name)) @definition.declaration)
(field_declaration
  declarator: (reference_declarator (field_identifier) @name)) @definition.field

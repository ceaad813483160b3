; Definitions of C++. What is defined outside of its class belongs to it by its qualified name.

(function_definition
  declarator: [
    (function_declarator
      declarator: [
        (identifier)
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
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
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

(struct_specifier
  name: (type_identifier) @name
  body: (_)) @definition.struct
(union_specifier
  name: (type_identifier) @name
  body: (_)) @definition.union
(enum_specifier
  name: (type_identifier) @name
  body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant

(type_definition
  type: (struct_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (enum_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type

(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (array_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (field_identifier) @name)))
  ]) @definition.field

(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  ]) @definition.declaration
((declaration
  (storage_class_specifier) @_storage
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
  ]) @definition.declaration
  (#eq? @_storage "extern"))
(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: (identifier) @name)
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator
      declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name)))
    (init_declarator
      declarator: (function_declarator
        declarator: (parenthesized_declarator
          (pointer_declarator declarator: (identifier) @name))))
  ]) @definition.variable

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

(comment) @above

; Definitions of Rust. An implementation is named as it stands between `impl` and its body; its methods belong to its type.

(mod_item name: (identifier) @name) @definition.module
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.union
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.variant
(field_declaration name: (field_identifier) @name) @definition.field
(trait_item name: (type_identifier) @name) @definition.trait

(impl_item
  !trait
  type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @scope))
    (scoped_type_identifier name: (type_identifier) @scope)
    (_)
  ] @name) @definition.impl

(impl_item
  trait: (_) @name
  type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @scope))
    (scoped_type_identifier name: (type_identifier) @scope)
    (reference_type type: (type_identifier) @scope)
    (_)
  ] @name) @definition.impl

(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro

(attribute_item) @above
(line_comment !inner) @above
(block_comment !inner) @above

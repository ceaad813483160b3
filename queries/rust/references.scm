; Uses of names in Rust.

(call_expression
  function: [
    (identifier) @name
    (field_expression field: (field_identifier) @name)
    (scoped_identifier name: (identifier) @name)
    (generic_function function: (identifier) @name)
    (generic_function function: (scoped_identifier name: (identifier) @name))
    (generic_function function: (field_expression field: (field_identifier) @name))
  ]) @reference.call

(macro_invocation
  macro: [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
  ]) @reference.macro

(use_declaration
  argument: [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
  ]) @reference.import
(use_list
  [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
  ]) @reference.import

(type_identifier) @name @reference.type

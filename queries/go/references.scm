; Uses of names in Go.

(call_expression
  function: [
    (identifier) @name
    (selector_expression field: (field_identifier) @name)
    (type_instantiation_expression type: (type_identifier) @name)
  ]) @reference.call

(import_spec path: (_) @name) @reference.import
(type_identifier) @name @reference.type

; Uses of names that JavaScript and TypeScript have in common.

(call_expression
  function: [
    (identifier) @name
    (member_expression property: (property_identifier) @name)
  ]) @reference.call
(new_expression
  constructor: [
    (identifier) @name
    (member_expression property: (property_identifier) @name)
  ]) @reference.type

(import_specifier name: (identifier) @name) @reference.import
(import_clause (identifier) @name) @reference.import
(namespace_import (identifier) @name) @reference.import

(decorator
  [
    (identifier) @name
    (call_expression function: (identifier) @name)
  ]) @reference.decorator

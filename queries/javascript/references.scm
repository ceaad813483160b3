; Uses of names in JavaScript and JSX.

(class_heritage (identifier) @name) @reference.type

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

(jsx_opening_element name: (identifier) @name) @reference.element
(jsx_self_closing_element name: (identifier) @name) @reference.element

(import_specifier name: (identifier) @name) @reference.import
(import_clause (identifier) @name) @reference.import
(namespace_import (identifier) @name) @reference.import

(decorator
  [
    (identifier) @name
    (call_expression function: (identifier) @name)
  ]) @reference.decorator

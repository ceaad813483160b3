; Uses of names in Python.

(call
  function: [
    (identifier) @name
    (attribute attribute: (identifier) @name)
  ]) @reference.call

(decorator
  [
    (identifier) @name
    (attribute attribute: (identifier) @name)
  ]) @reference.decorator

(class_definition
  superclasses: (argument_list
    [
      (identifier) @name
      (attribute attribute: (identifier) @name)
    ])) @reference.type
(type (identifier) @name) @reference.type
(type (generic_type (identifier) @name)) @reference.type

(import_statement name: (dotted_name) @name) @reference.import
(import_statement name: (aliased_import name: (dotted_name) @name)) @reference.import
(import_from_statement name: (dotted_name) @name) @reference.import
(import_from_statement name: (aliased_import name: (dotted_name) @name)) @reference.import

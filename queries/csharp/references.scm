; Uses of names in C#.

(invocation_expression
  function: [
    (identifier) @name
    (member_access_expression name: (identifier) @name)
    (generic_name (identifier) @name)
    (member_access_expression name: (generic_name (identifier) @name))
  ]) @reference.call
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name (identifier) @name)
  ]) @reference.call
(base_list
  [
    (identifier) @name
    (generic_name (identifier) @name)
  ]) @reference.type
(attribute name: (identifier) @name) @reference.decorator
(parameter type: (identifier) @name) @reference.type
(variable_declaration type: (identifier) @name) @reference.type
(method_declaration returns: (identifier) @name) @reference.type
(using_directive (identifier) @name) @reference.import
(using_directive (qualified_name) @name) @reference.import

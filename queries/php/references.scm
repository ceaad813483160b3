; Uses of names in PHP.

(function_call_expression function: (name) @name) @reference.call
(function_call_expression function: (qualified_name (name) @name)) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(object_creation_expression (name) @name) @reference.call
(base_clause (name) @name) @reference.type
(class_interface_clause (name) @name) @reference.type
(named_type (name) @name) @reference.type
(use_declaration (name) @name) @reference.type
(attribute (name) @name) @reference.decorator
(namespace_use_clause (qualified_name (name) @name)) @reference.import

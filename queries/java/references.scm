; Uses of names in Java.

(method_invocation name: (identifier) @name) @reference.call
(method_reference (identifier) @name .) @reference.call
(object_creation_expression type: (type_identifier) @name) @reference.call
(marker_annotation name: (identifier) @name) @reference.decorator
(annotation name: (identifier) @name) @reference.decorator
(import_declaration (scoped_identifier name: (identifier) @name)) @reference.import
(type_identifier) @name @reference.type

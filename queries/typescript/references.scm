; Uses of names in TypeScript beside those of ecmascript.

(extends_clause value: (identifier) @name) @reference.type
(type_identifier) @name @reference.type

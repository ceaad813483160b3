; Uses of names in JavaScript and JSX beside those of ecmascript.

(class_heritage (identifier) @name) @reference.type

(jsx_opening_element name: (identifier) @name) @reference.element
(jsx_self_closing_element name: (identifier) @name) @reference.element

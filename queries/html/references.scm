; Links and classes of a page.

((attribute
  (attribute_name) @_attribute
  (quoted_attribute_value (attribute_value) @name)) @reference.link
  (#any-of? @_attribute "href" "src" "for" "aria-labelledby"))
((attribute
  (attribute_name) @_attribute
  (quoted_attribute_value (attribute_value) @name)) @reference.class
  (#eq? @_attribute "class"))

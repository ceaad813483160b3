; What has a name in a page: elements with an id, headings, the title, and landmarks.

((element
  (start_tag
    (attribute
      (attribute_name) @_attribute
      (quoted_attribute_value (attribute_value) @name)))) @definition.element
  (#eq? @_attribute "id"))

((element
  (start_tag (tag_name) @_tag)
  .
  (text) @name) @definition.heading
  (#match? @_tag "^([hH][1-6]|title)$"))

((element (start_tag (tag_name) @name) @_start) @definition.element
  (#any-of? @name "main" "nav" "header" "footer" "section" "article" "aside" "form" "head" "body")
  (#not-match? @_start "\\sid="))

(comment) @above

; Headings of Markdown. A section reaches to the next heading of its level, and holds those below it.

((atx_heading
  (atx_h1_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 1))
((atx_heading
  (atx_h2_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 2))
((atx_heading
  (atx_h3_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 3))
((atx_heading
  (atx_h4_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 4))
((atx_heading
  (atx_h5_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 5))
((atx_heading
  (atx_h6_marker)
  heading_content: (inline) @name) @definition.heading
  (#set! level 6))
((setext_heading
  heading_content: (paragraph) @name
  (setext_h1_underline)) @definition.heading
  (#set! level 1))
((setext_heading
  heading_content: (paragraph) @name
  (setext_h2_underline)) @definition.heading
  (#set! level 2))

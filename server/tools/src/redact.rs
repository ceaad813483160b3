//! Takes secrets out of text before anybody stores or sends it. Knows no tool.

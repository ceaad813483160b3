//! What a definition is, in words that hold for every language.

use core::fmt;

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A module, a package.
    Module,
    /// A namespace.
    Namespace,
    /// A class.
    Class,
    /// A struct or a record.
    Struct,
    /// A union.
    Union,
    /// An enumeration.
    Enum,
    /// An interface or a protocol.
    Interface,
    /// A trait.
    Trait,
    /// What is added to a type that is defined elsewhere: `impl` of Rust.
    Implementation,
    /// What only says that something is defined elsewhere: a prototype, an overload.
    Declaration,
    /// A type alias, an associated type.
    Type,
    /// A function that belongs to no type.
    Function,
    /// A function of a type.
    Method,
    /// A macro.
    Macro,
    /// A named test or a group of tests that is no function.
    Test,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A field of a type.
    Field,
    /// A property: a field that is reached through functions.
    Property,
    /// One of the values of an enumeration.
    Variant,
    /// A key of a data file.
    Key,
    /// A table or a section of a data file.
    Table,
    /// A heading of a document; its lines are those of the whole section.
    Heading,
    /// An element of a page that has a name.
    Element,
    /// A selector of a style sheet.
    Selector,
    /// An at-rule of a style sheet.
    Rule,
}

impl Kind {
    /// Every kind, those first that a name most likely stands for.
    pub const ALL: [Self; 26] = [
        Self::Module,
        Self::Namespace,
        Self::Class,
        Self::Struct,
        Self::Union,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Implementation,
        Self::Type,
        Self::Function,
        Self::Method,
        Self::Macro,
        Self::Test,
        Self::Declaration,
        Self::Constant,
        Self::Variable,
        Self::Field,
        Self::Property,
        Self::Variant,
        Self::Key,
        Self::Table,
        Self::Heading,
        Self::Element,
        Self::Selector,
        Self::Rule,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Implementation => "impl",
            Self::Declaration => "declaration",
            Self::Type => "type",
            Self::Function => "function",
            Self::Method => "method",
            Self::Macro => "macro",
            Self::Test => "test",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Property => "property",
            Self::Variant => "variant",
            Self::Key => "key",
            Self::Table => "table",
            Self::Heading => "heading",
            Self::Element => "element",
            Self::Selector => "selector",
            Self::Rule => "rule",
        }
    }

    /// The kind that is written so.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether it is a type, so that a function in it is a method.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Union
                | Self::Enum
                | Self::Interface
                | Self::Trait
                | Self::Implementation
        )
    }

    /// Whether a place in it is named after it.
    pub fn is_scope(self) -> bool {
        !matches!(
            self,
            Self::Constant
                | Self::Variable
                | Self::Field
                | Self::Property
                | Self::Variant
                | Self::Key
                | Self::Type
                | Self::Declaration
        )
    }

    /// Whether it defines its name, and does not merely name or add to what is defined elsewhere.
    pub fn defines(self) -> bool {
        !matches!(self, Self::Implementation | Self::Declaration)
    }

    /// Whether it is a part of a data file, a document or a style sheet, not of a program.
    pub fn is_data(self) -> bool {
        matches!(
            self,
            Self::Key | Self::Table | Self::Heading | Self::Element | Self::Selector | Self::Rule
        )
    }

    /// Whether it is of no interest outside of a function that contains it.
    pub(super) fn is_local_in_functions(self) -> bool {
        matches!(self, Self::Variable | Self::Constant | Self::Declaration)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

require "json"

# Measures.
module Geometry
  LIMIT = 10
  Size = Struct.new(:width, :height)

  # A point.
  class Point < Base
    include Comparable
    attr_accessor :x, :y
    attr_reader :name

    def initialize(x, y = 0)
      @x = x
      local = y
    end

    def <=>(other)
      x <=> other.x
    end

    def self.origin
      new(0, 0)
    end

    class << self
      def build(text) = JSON.parse(text)
    end

    def valid?
      !x.nil?
    end

    alias ok? valid?

    private

    def hidden; end
  end

  class Error < StandardError; end
end

class Geometry::Line
  def length = Math.sqrt(2)
end

def helper(value)
  yield value
end

task :build do
  helper(1) { |it| puts it }
end

RSpec.describe Geometry::Point do
  context "when made" do
    it "has a place" do
      expect(described_class.new(1).x).to eq(1)
    end
  end
end

// The text format of graphs: the input of the stand-in's atc, and the head of its OMs.
//
//   graph NAME
//   attr NAME VALUE...                 root attribute; the value is the rest of the line
//   input NAME TYPE DIMS               DIMS as 8x256; -1 is unknown
//   const NAME TYPE DIMS seed N        content made from the seed
//   const NAME TYPE DIMS offset N      (OM) content in the weights section
//   const NAME TYPE DIMS file F        (OM) content in weight/F, at `offset`
//   node NAME OP INPUT... [key=value]  keys: cost (µs), blocks, engine (cube|vector|aicpu), label
//   gears 1,256;4,256                  (OM) values of the unknown dimensions
//   output NAME...
//
// A name is defined before it is used. '#' starts a comment.
#pragma once

#include <string>
#include <string_view>

#include "tests/standin/common/graph_def.h"

namespace standin {

// Throws a GeError that names the line. Shapes of operators are not inferred yet.
GraphDef parse_graph(std::string_view text);

std::string write_graph(const GraphDef& graph);

// "1,256;4,256" → {{1,256},{4,256}}. Throws a GeError.
std::vector<Dims> parse_gears(std::string_view text);

}  // namespace standin

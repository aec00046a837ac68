#include "coordinator/commands/gate_options.h"

#include "common/object_id.h"

namespace mstune::coordinator {

void take_drop_first(GivenGates& gates, const cli::Value& value) {
  gates.drop_auto = value.text == "auto";
  if (!gates.drop_auto) {
    gates.drop_first = value.number;
  }
}

void take_main_graph(GivenGates& gates, const cli::Value& value) {
  gates.main_object = parse_object_id(value.text);
}

}  // namespace mstune::coordinator

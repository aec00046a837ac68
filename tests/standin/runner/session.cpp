#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include <acl/acl_rt.h>
#include <ge/ge_api.h>

#include "tests/standin/common/ge_error.h"
#include "tests/standin/common/ge_log.h"
#include "tests/standin/compiler/compile.h"
#include "tests/standin/compiler/pass_loader.h"
#include "tests/standin/executor/loaded_model.h"
#include "tests/standin/graph/graph_impl.h"

namespace ge {
namespace {

using Options = std::map<std::string, std::string>;

constexpr Status kParameterInvalid = 145000;

struct Engine {
  std::mutex mutex;
  bool initialized = false;
  int32_t device = 0;
  Options options;
  std::string error;
};

Engine& engine() {
  static Engine process_engine;
  return process_engine;
}

Status fail(Status status, const std::string& text) {
  GE_LOG_ERROR("%s", text.c_str());
  const std::lock_guard lock(engine().mutex);
  engine().error += text;
  return status;
}

Status fail(const standin::GeError& error) {
  const bool parameter = error.code() == "E10001" || error.code() == "E10056";
  return fail(parameter ? kParameterInvalid : FAILED, standin::error_block(error));
}

std::map<AscendString, AscendString> to_ascend(const Options& options) {
  std::map<AscendString, AscendString> result;
  for (const auto& [name, value] : options) {
    result[AscendString(name.c_str())] = AscendString(value.c_str());
  }
  return result;
}

Options merged(Options base, const std::map<AscendString, AscendString>& more) {
  for (const auto& [name, value] : more) {
    base[name.GetString()] = value.GetString();
  }
  return base;
}

}  // namespace

Status GEInitialize(const std::map<AscendString, AscendString>& options) {
  Options merged_options = merged({}, options);
  try {
    standin::load_passes();
  } catch (const standin::GeError& error) {
    return fail(error);
  }
  const std::string device = merged_options[OPTION_EXEC_DEVICE_ID];
  const int32_t id = device.empty() ? 0 : static_cast<int32_t>(std::atoi(device.c_str()));
  if (const aclError failure = aclrtSetDevice(id)) {
    const char* why = aclGetRecentErrMsg();
    return fail(FAILED, "Open device " + std::to_string(id) + " failed, ret " +
                            std::to_string(failure) + ". " + (why == nullptr ? "" : why));
  }
  const std::lock_guard lock(engine().mutex);
  engine().initialized = true;
  engine().device = id;
  engine().options = std::move(merged_options);
  return SUCCESS;
}

Status GEInitialize(const std::map<std::string, std::string>& options) {
  return GEInitialize(to_ascend(options));
}

Status GEFinalize() {
  int32_t device = 0;
  {
    const std::lock_guard lock(engine().mutex);
    if (!engine().initialized) {
      return SUCCESS;
    }
    engine().initialized = false;
    device = engine().device;
  }
  standin::unload_passes();
  return aclrtResetDevice(device) == ACL_SUCCESS ? SUCCESS : FAILED;
}

AscendString GEGetErrorMsgV2() {
  const std::lock_guard lock(engine().mutex);
  const AscendString text(engine().error.c_str());
  engine().error.clear();
  return text;
}

AscendString GEGetWarningMsgV2() {
  return AscendString("");
}

class InnerSession {
 public:
  struct Entry {
    Graph graph;
    Options options;
    std::shared_ptr<standin::LoadedModel> model;
  };
  std::mutex mutex;
  Options options;
  std::map<uint32_t, Entry> graphs;
};

namespace {

// Compiles and loads the graph unless that has been done. Throws a GeError.
void build(InnerSession::Entry& entry) {
  if (entry.model != nullptr) {
    return;
  }
  standin::GraphDef graph = standin::to_graph_def(entry.graph);
  for (const auto& [name, value] : standin::text_attributes(entry.graph)) {
    graph.attributes[name] = value;
  }
  standin::CompileOptions options;
  options.ge = entry.options;
  options.soc_version = aclrtGetSocName();
  int32_t logic_id = 0;
  aclrtGetDevice(&logic_id);
  entry.model =
      std::make_shared<standin::LoadedModel>(standin::compile(std::move(graph), options),
                                             standin::ExecutorKind::online_run, logic_id, ".");
}

std::vector<Tensor> to_tensors(const standin::Outcome& outcome, const standin::GraphDef& graph) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    const auto type = static_cast<DataType>(graph.nodes[graph.outputs[i]].data_type);
    const std::string& content = outcome.outputs[i];
    tensors.emplace_back(TensorDesc(Shape(outcome.shapes[i]), FORMAT_ND, type),
                         reinterpret_cast<const uint8_t*>(content.data()), content.size());
  }
  return tensors;
}

standin::Call call_of(const std::vector<Tensor>& inputs, const standin::GraphDef& graph) {
  standin::Call call;
  for (const Tensor& input : inputs) {
    call.inputs.emplace_back(reinterpret_cast<const char*>(input.GetData()), input.GetSize());
  }
  size_t index = 0;
  for (const standin::Node& node : graph.nodes) {
    if (node.type != "Data" || index >= inputs.size()) {
      continue;
    }
    const Shape given = inputs[index++].GetTensorDesc().GetShape();
    for (size_t at = 0; at < node.shape.size(); ++at) {
      if (node.shape[at] == -1) {
        call.dims.push_back(given.GetDim(at));
      }
    }
  }
  return call;
}

}  // namespace

Session::Session(const std::map<AscendString, AscendString>& options)
    : inner_session_(std::make_shared<InnerSession>()) {
  static std::atomic<uint64_t> next_session{0};
  sessionId_ = next_session++;
  const std::lock_guard lock(engine().mutex);
  inner_session_->options = merged(engine().options, options);
}

Session::Session(const std::map<std::string, std::string>& options) : Session(to_ascend(options)) {}

Session::~Session() = default;

Status Session::AddGraph(uint32_t graph_id, const Graph& graph) {
  return AddGraph(graph_id, graph, std::map<AscendString, AscendString>{});
}

Status Session::AddGraph(uint32_t graph_id, const Graph& graph,
                         const std::map<std::string, std::string>& options) {
  return AddGraph(graph_id, graph, to_ascend(options));
}

Status Session::AddGraph(uint32_t graph_id, const Graph& graph,
                         const std::map<AscendString, AscendString>& options) {
  if (!graph.IsValid()) {
    return fail(kParameterInvalid,
                "E10001: The graph " + std::to_string(graph_id) + " is not valid.");
  }
  const std::lock_guard lock(inner_session_->mutex);
  inner_session_->graphs[graph_id] = {graph, merged(inner_session_->options, options), nullptr};
  return SUCCESS;
}

Status Session::RemoveGraph(uint32_t graph_id) {
  const std::lock_guard lock(inner_session_->mutex);
  return inner_session_->graphs.erase(graph_id) == 1 ? SUCCESS : FAILED;
}

Status Session::CompileGraph(uint32_t graph_id) {
  const std::lock_guard lock(inner_session_->mutex);
  const auto found = inner_session_->graphs.find(graph_id);
  if (found == inner_session_->graphs.end()) {
    return fail(FAILED, "There is no graph " + std::to_string(graph_id) + ".");
  }
  try {
    build(found->second);
    return SUCCESS;
  } catch (const standin::GeError& error) {
    return fail(error);
  }
}

Status Session::RunGraph(uint32_t graph_id, const std::vector<Tensor>& inputs,
                         std::vector<Tensor>& outputs) {
  if (const Status failure = CompileGraph(graph_id)) {
    return failure;
  }
  std::shared_ptr<standin::LoadedModel> model;
  {
    const std::lock_guard lock(inner_session_->mutex);
    model = inner_session_->graphs[graph_id].model;
  }
  const standin::GraphDef& graph = model->model().graph;
  try {
    const standin::Outcome outcome = model->execute(call_of(inputs, graph));
    if (outcome.status != 0) {
      return fail(outcome.status, "Run graph " + std::to_string(graph_id) + " failed.");
    }
    outputs = to_tensors(outcome, graph);
    return SUCCESS;
  } catch (const standin::GeError& error) {
    return fail(error);
  } catch (const std::out_of_range&) {
    return fail(kParameterInvalid,
                "E10001: Graph " + std::to_string(graph_id) + " has more inputs.");
  }
}

Status Session::RunGraphAsync(uint32_t graph_id, const std::vector<ge::Tensor>& inputs,
                              RunAsyncCallback callback) {
  std::vector<Tensor> outputs;
  const Status status = RunGraph(graph_id, inputs, outputs);
  callback(status, outputs);
  return SUCCESS;
}

uint64_t Session::GetSessionId() const {
  return sessionId_;
}

}  // namespace ge

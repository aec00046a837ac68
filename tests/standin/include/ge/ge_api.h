// The online API of the graph engine: compile and run a graph in this process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/ge_api_error_codes.h"
#include "ge/ge_api_types.h"
#include "graph/graph.h"
#include "graph/tensor.h"

namespace ge {

// The overloads that take std::string are there for old callers, and make a braced list of options
// ambiguous: callers name the type of their map.
Status GEInitialize(const std::map<std::string, std::string>& options);
Status GEInitialize(const std::map<AscendString, AscendString>& options);
Status GEFinalize();
AscendString GEGetErrorMsgV2();  // what went wrong; empties the record
AscendString GEGetWarningMsgV2();

class InnerSession;
class Session {
 public:
  explicit Session(const std::map<std::string, std::string>& options);
  explicit Session(const std::map<AscendString, AscendString>& options);
  ~Session();

  Status AddGraph(uint32_t graph_id, const Graph& graph);
  Status AddGraph(uint32_t graph_id, const Graph& graph,
                  const std::map<std::string, std::string>& options);
  Status AddGraph(uint32_t graph_id, const Graph& graph,
                  const std::map<AscendString, AscendString>& options);
  Status RemoveGraph(uint32_t graph_id);
  Status CompileGraph(uint32_t graph_id);
  Status RunGraph(uint32_t graph_id, const std::vector<Tensor>& inputs,
                  std::vector<Tensor>& outputs);
  Status RunGraphAsync(uint32_t graph_id, const std::vector<ge::Tensor>& inputs,
                       RunAsyncCallback callback);
  uint64_t GetSessionId() const;

 private:
  uint64_t sessionId_{0};
  std::shared_ptr<InnerSession> inner_session_;
};

}  // namespace ge

// One piece of work on several processors at once.
#pragma once

#include <cstddef>
#include <functional>

namespace mstune::os {

// How many threads are worth it here: the processors, but at most `most`, and 1 or more.
std::size_t threads_for(std::size_t most);

// Calls work(0) .. work(threads - 1), each on a thread of its own but one on this, and returns when
// all have returned; throws what the first of them threw. Where the system refuses a thread, this
// one does its part as well.
void side_by_side(std::size_t threads, const std::function<void(std::size_t)>& work);

}  // namespace mstune::os

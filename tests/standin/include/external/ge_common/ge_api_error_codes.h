// The former name of api_error_codes.h.
#pragma once

#include "external/ge_common/api_error_codes.h"

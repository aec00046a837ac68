// What the other headers of the C API are based on; in releases before 9 all in this one.
#pragma once

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"

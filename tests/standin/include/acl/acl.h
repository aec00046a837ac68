// The whole C API in one header.
#pragma once

#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"

// Models: load, describe, execute, unload.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_MAX_DIM_CNT 128
#define ACL_MAX_TENSOR_NAME_LEN 128
#define ACL_DYNAMIC_TENSOR_NAME "ascend_mbatch_shape_data"

typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlExecConfigHandle aclmdlExecConfigHandle;

typedef struct aclmdlIODims {
  char name[ACL_MAX_TENSOR_NAME_LEN];
  size_t dimCount;
  int64_t dims[ACL_MAX_DIM_CNT];
} aclmdlIODims;

aclError aclmdlQuerySize(const char* fileName, size_t* workSize, size_t* weightSize);
aclError aclmdlLoadFromFile(const char* modelPath, uint32_t* modelId);
aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId);
aclError aclmdlUnload(uint32_t modelId);

aclmdlDesc* aclmdlCreateDesc();
aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc);
aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId);
size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc);
size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc);
size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index);
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index);
const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index);
const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index);
aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index);
aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index);
aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);

aclmdlDataset* aclmdlCreateDataset();
aclError aclmdlDestroyDataset(const aclmdlDataset* dataset);
aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer);
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset);
aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index);
aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc,
                                    size_t index);
aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index);

aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index);
aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc* modelDesc, size_t index,
                                        size_t* gearCount);
aclError aclmdlGetInputDynamicDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims,
                                   size_t gearCount);
aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset* dataset, size_t index,
                                   const aclmdlIODims* dims);

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output);
aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                         aclrtStream stream, const aclmdlExecConfigHandle* handle);
aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                            aclrtStream stream);
aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
                              aclrtStream stream, const aclmdlExecConfigHandle* handle);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/blob.h"

const uint8_t agent_blob[] = {
#include "agent_blob.inc"
};
const size_t agent_blob_size = sizeof agent_blob;

const uint8_t agent_elf[] = {
#include "agent_elf.inc"
};
const size_t agent_elf_size = sizeof agent_elf;

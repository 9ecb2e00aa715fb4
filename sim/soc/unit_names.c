#include "soc/unit_names.h"

#include <stddef.h>

static const struct {
  uint32_t base, size;
  const char *name;
} units[] = {
    {0x200000, 0x10000, "the fabric controller's own event unit and timer, as on GAP8"},
    {0x10000000, 0x400000, "the cluster's L1 and peripherals, between what is there"},
    {0x10400000, 0x800000, "another cluster"},
    {0x1a000000, 0x40000, "the boot ROM"},
    {0x1a100000, 0x1000, "the clock generators (FLL)"},
    {0x1a101000, 0x1000, "GPIO"},
    {0x1a102000, 0x80, "the uDMA's control"},
    {0x1a102080, 0x80, "UART of the uDMA"},
    {0x1a102100, 0x80, "SPI of the uDMA"},
    {0x1a102180, 0x100, "I2C of the uDMA"},
    {0x1a102280, 0x80, "SDIO of the uDMA"},
    {0x1a102300, 0x80, "I2S of the uDMA"},
    {0x1a102380, 0x80, "the camera interface of the uDMA"},
    {0x1a102400, 0x80, "the filter of the uDMA"},
    {0x1a102480, 0x480, "HyperBus of the uDMA"},
    {0x1a102900, 0x1700, "the uDMA"},
    {0x1a104000, 0x1000, "SoC control"},
    {0x1a105000, 0x1000, "the advanced timer (PWM)"},
    {0x1a106000, 0x1000, "the SoC's event generator"},
    {0x1a109000, 0x1000, "the fabric controller's interrupt controller"},
    {0x1a10b000, 0x1000, "the fabric controller's timer"},
    {0x1a10c000, 0x1000, "the fabric controller's accelerator"},
    {0x1a10f000, 0x1000, "stdout of simulations"},
    {0x1a110000, 0x10000, "the debug unit"},
    {0x1a100000, 0x100000, "a peripheral of the SoC"},
    {0x1b000000, 0x100000, "the fabric controller's memory, behind its end"},
    {0x1c000000, 0x4000000, "L2, behind its end"},
    {0x60000000, 0x10000000, "L3, which the uDMA alone reaches"},
};

const char *unit_name(uint32_t address) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (address - units[i].base < units[i].size)
      return units[i].name;
  return NULL;
}

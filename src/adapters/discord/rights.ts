/** Bits of `PermissionFlagsBits` that sending goes by. */
export const RIGHT = {
  manageMessages: 1n << 13n,
  attachFiles: 1n << 15n,
  manageWebhooks: 1n << 29n,
} as const;

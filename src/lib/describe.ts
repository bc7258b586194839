/** What a thrown thing says of itself. */
export const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const nextCheck = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when the event loop has looked at the sockets since the call: who had closed by then is known to have. After
 * a standstill, a request is read before the end of its connection, which has come as well.
 */
export async function socketsLooked(): Promise<void> {
  // Up to the first, it may still be in the look in which the caller was told of something.
  await nextCheck();
  await nextCheck();
}

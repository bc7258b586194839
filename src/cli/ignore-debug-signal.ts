/**
 * Without a listener, Node opens its debugger on 127.0.0.1 at SIGUSR1, which log rotation sends to many services. Every
 * user of the machine could then run code in this process.
 */
process.on("SIGUSR1", () => undefined);

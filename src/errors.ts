/**
 * Why the program does not start, or ends. The exit codes are those of sysexits(3), so that an init system can tell a
 * mistake in the configuration from a temporary problem. A test keeps docs/errors.md equal to this table.
 */
export const START_ERRORS = {
  usage: { exit: 64, what: "The command line is wrong.", remedy: "See `rialto help`." },
  log_damaged: {
    exit: 65,
    what: "The log in the data folder is damaged.",
    remedy:
      "`rialto log check` says what is damaged, `rialto log repair` keeps what can be read. Of several machines, move `log.sqlite` out of the data folder instead: the next start begins with what the servers have.",
  },
  address_in_use: {
    exit: 69,
    what: "Rialto cannot listen on a BindAddress, MediaBindAddress or AdminBindAddress: it is in use, not allowed for this user, or not an address of this machine.",
    remedy: "Stop the other program that listens there, or choose another address.",
  },
  not_running: {
    exit: 69,
    what: "`rialto status` or a similar command found no Rialto that runs with this configuration, or got no answer.",
    remedy: "Start it, or name its configuration with -conf, its data folder with --data, or its socket with --socket.",
  },
  log_servers: {
    exit: 69,
    what: "The servers in general.Log that carry the log of several machines cannot be reached, or do not let this one in.",
    remedy:
      "Check that they run, that a majority of them sees each other, and what Log, LogUser, LogPassword, LogToken and LogCredentials say. Then start Rialto again; a service manager does so by itself.",
  },
  bug: {
    exit: 70,
    what: "The program failed in an unexpected way. This is a bug.",
    remedy: "Report it with the log lines before it.",
  },
  descriptors: {
    exit: 71,
    what: "The system allows fewer open files and connections than the configuration needs.",
    remedy:
      "Raise the limit: LimitNOFILE= in the systemd unit, --ulimit nofile= for Docker, or `ulimit -n` in the shell.",
  },
  stop_timeout: {
    exit: 71,
    what: "Stopping took too long, so the program ended before it had finished.",
    remedy: "Nothing that was accepted is lost. Check whether the disk is slow or stuck.",
  },
  log_file: {
    exit: 73,
    what: "The file in general.LogFile cannot be opened.",
    remedy: "Allow the user that runs Rialto to write to it, or set general.LogFile to another file.",
  },
  data_path: {
    exit: 73,
    what: "The data folder cannot be created, written or read.",
    remedy: "Allow the user that runs Rialto to write to it, or set general.DataPath to another folder.",
  },
  log_failed: {
    exit: 74,
    what: "The log stopped working while the program ran.",
    remedy: "Check the disk. After the next start, everything that was accepted is there.",
  },
  log_stream: {
    exit: 74,
    what: "The stream that carries the log of several machines was deleted or made again, lacks what this machine needs, or is of a newer version of Rialto.",
    remedy: 'docs/cluster.md says what to do: see "What happens when…", "Moving" and "When the stream is gone".',
  },
  data_locked: {
    exit: 75,
    what: "Another Rialto uses the same data folder.",
    remedy: "Stop it, or give this one its own general.DataPath.",
  },
  config: {
    exit: 78,
    what: "Nothing in the configuration can start.",
    remedy:
      "Correct the errors: each is printed with file, line and column. `rialto check` shows them too, and exits with 78 for any error.",
  },
} as const;

export type StartErrorCode = keyof typeof START_ERRORS;

export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: StartErrorCode;
  /** What to do. Empty: the message says it, and the remedy of the code may not fit. */
  readonly remedy: string;
  constructor(
    code: StartErrorCode,
    message: string,
    { remedy = START_ERRORS[code].remedy, ...options }: ErrorOptions & { readonly remedy?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

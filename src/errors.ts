/**
 * Why the program does not start, or ends. The exit codes are those of sysexits(3), so that an init system can tell a mistake in the
 * configuration from a passing trouble. docs/errors.md is held equal to this table by a test.
 */
export const START_ERRORS = {
  usage: { exit: 64, what: "The command line is wrong.", remedy: "See `rialto help`." },
  log_damaged: {
    exit: 65,
    what: "The log in the data folder is damaged.",
    remedy: "`rialto log check` says what is damaged, `rialto log repair` keeps what can be read.",
  },
  address_in_use: {
    exit: 69,
    what: "An API account cannot listen on its BindAddress, the media endpoint on MediaBindAddress, or the admin server on AdminBindAddress: it is taken, not allowed to this user, or not an address of this machine.",
    remedy: "Stop the other program that listens there, or choose another address.",
  },
  not_running: {
    exit: 69,
    what: "`rialto status` and its like: no Rialto runs with this configuration, or it does not answer.",
    remedy: "Start it, or name its configuration with -conf, its data folder with --data, or its socket with --socket.",
  },
  bug: {
    exit: 70,
    what: "The program failed in a way it does not know.",
    remedy: "Report it with the log lines before it.",
  },
  descriptors: {
    exit: 71,
    what: "The system lets the program have fewer files and connections open at a time than the configuration needs.",
    remedy:
      "Raise the limit: LimitNOFILE= in the unit of systemd, --ulimit nofile= of Docker, or `ulimit -n` in the shell.",
  },
  stop_timeout: {
    exit: 71,
    what: "A stop took too long, and the program ended anyway.",
    remedy: "Nothing that was accepted is lost. Look whether the disk is slow or stuck.",
  },
  log_file: {
    exit: 73,
    what: "The file of general.LogFile cannot be opened.",
    remedy: "Give the user that runs Rialto the right to write it, or set general.LogFile to another file.",
  },
  data_path: {
    exit: 73,
    what: "The data folder cannot be created, written or read.",
    remedy: "Give the user that runs Rialto the right to write it, or set general.DataPath to another folder.",
  },
  log_failed: {
    exit: 74,
    what: "The log stopped working while the program ran.",
    remedy: "Look at the disk; on the next start everything that was accepted is there.",
  },
  data_locked: {
    exit: 75,
    what: "Another Rialto uses the same data folder.",
    remedy: "Stop it, or give this one its own general.DataPath.",
  },
  config: {
    exit: 78,
    what: "Nothing of the configuration can be started.",
    remedy: "Each error is printed with file, line and column; see `rialto check`, which exits with 78 for any error.",
  },
} as const;

export type StartErrorCode = keyof typeof START_ERRORS;

export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: StartErrorCode;
  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

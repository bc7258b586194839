/** A channel that the core has, or wants. */
export interface MattermostRoom {
  readonly id: string;
  /** `O` open, `P` private, `D` direct, `G` group. */
  readonly type: string;
  /** As its address has it. */
  readonly name: string;
  /** Posts to it can be sent: we are in, and it is not archived. */
  joined: boolean;
}

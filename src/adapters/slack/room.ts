/** A channel that the core has, or wants. */
export interface SlackRoom {
  /** Such as `C024BE91L`. */
  readonly id: string;
  /** Without `#`. */
  name: string;
  readonly isPrivate: boolean;
  /** Posts to it can be sent: we are in, and it is not archived. */
  joined: boolean;
}

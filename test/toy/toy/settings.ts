export interface ToySettings {
  readonly Server: string;
  readonly Token: string;
  readonly Nick: string;
}

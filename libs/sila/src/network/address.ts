/** Where a server is. */
export interface Address {
  host: string;
  port: number;
}

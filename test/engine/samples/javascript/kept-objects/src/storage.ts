export interface Storage {
  read(name: string): Promise<Buffer>;
  readPlain(name: string): Promise<Buffer>;
}

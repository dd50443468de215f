import type { Pool } from "pg";

export class ParcelRepository {
  constructor(private readonly pool: Pool) {}

  async inTown(town: string) {
    // vuln: sql_injection
    return this.pool.query(`SELECT * FROM parcel WHERE town = '${town}'`);
  }

  async inStreet(street: string) {
    // safe: sql_injection
    return this.pool.query("SELECT * FROM parcel WHERE street = $1", [street]);
  }

  async rename(id: string, name: string) {
    // vuln: sql_injection
    await this.pool.query(`UPDATE parcel SET name = '${name}' WHERE id = ${Number(id)}`);
  }
}

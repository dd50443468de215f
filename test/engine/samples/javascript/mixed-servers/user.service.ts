import { Pool } from 'pg';
export class UserService {
  private pool = new Pool();
  async find(id: string) {
    // vuln: sql_injection
    const { rows } = await this.pool.query(`SELECT * FROM users WHERE id = '${id}'`);
    return rows[0];
  }
}

import { Injectable } from "@nestjs/common";
import { InjectRepository } from "@nestjs/typeorm";
import { DataSource, Repository } from "typeorm";
import { Patient } from "./patient.entity";

const SORTABLE = new Set(["name", "id"]);

@Injectable()
export class PatientsService {
  constructor(
    @InjectRepository(Patient) private readonly patients: Repository<Patient>,
    private readonly dataSource: DataSource,
  ) {}

  search(name: string) {
    // vuln: sql_injection
    return this.dataSource.query(`SELECT * FROM patient WHERE name = '${name}'`);
  }

  searchSafely(name: string) {
    // safe: sql_injection
    return this.dataSource.query("SELECT * FROM patient WHERE name = $1", [name]);
  }

  byName(name: string) {
    return this.patients
      .createQueryBuilder("p")
      // safe: sql_injection
      .where("p.name = :name", { name })
      .getMany();
  }

  filtered(condition: string) {
    const query = this.patients.createQueryBuilder("p");
    // vuln: sql_injection
    return query.where("p.ward = '" + condition + "'").getMany();
  }

  sorted(by: string) {
    if (!SORTABLE.has(by)) {
      throw new Error("unknown column");
    }
    // safe: sql_injection
    return this.dataSource.query(`SELECT * FROM patient ORDER BY ${by}`);
  }

  one(id: number) {
    // safe: sql_injection
    return this.dataSource.query("SELECT * FROM patient WHERE id = " + id);
  }

  page(offset: string) {
    // safe: sql_injection
    return this.dataSource.query(`SELECT * FROM patient LIMIT 10 OFFSET ${offset}`);
  }
}

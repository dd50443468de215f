import { Controller, Get, Headers, Param, ParseUUIDPipe, Query } from "@nestjs/common";
import { HttpService } from "@nestjs/axios";
import { execFile, exec } from "child_process";
import { promisify } from "util";

const run = promisify(execFile);
const shell = promisify(exec);

@Controller("reports")
export class ReportsController {
  constructor(private readonly http: HttpService) {}

  @Get("import")
  import(@Query("url") url: string) {
    // vuln: ssrf
    return this.http.get(url);
  }

  @Get("import/:id")
  importOne(@Param("id") id: string) {
    // safe: ssrf
    return this.http.get(`https://reports.example.com/v1/${id}`);
  }

  @Get("render/:id")
  render(@Param("id", new ParseUUIDPipe()) id: string) {
    // safe: command_injection
    return shell(`render-report ${id}`);
  }

  @Get("print")
  print(@Query("name") name: string) {
    // vuln: command_injection
    return shell(`lpr ${name}`);
  }

  @Get("print-safely")
  printSafely(@Query("name") name: string) {
    // safe: command_injection
    return run("lpr", [name]);
  }
}

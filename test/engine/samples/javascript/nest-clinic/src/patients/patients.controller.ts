import { Body, Controller, Get, Param, ParseIntPipe, Post, Query, Redirect, Res } from "@nestjs/common";
import type { Response } from "express";
import { PatientsService } from "./patients.service";

@Controller("patients")
export class PatientsController {
  constructor(private readonly patients: PatientsService) {}

  @Get("search")
  search(@Query("name") name: string) {
    return this.patients.search(name);
  }

  @Get("search-safely")
  searchSafely(@Query("name") name: string) {
    return this.patients.searchSafely(name);
  }

  @Get("by-name")
  byName(@Query("name") name: string) {
    return this.patients.byName(name);
  }

  @Post("filter")
  filter(@Body() body: { condition: string }) {
    return this.patients.filtered(body.condition);
  }

  @Get("sorted")
  sorted(@Query("by") by: string) {
    return this.patients.sorted(by);
  }

  @Get("page")
  page(@Query("offset", ParseIntPipe) offset) {
    return this.patients.page(offset);
  }

  @Get(":id")
  one(@Param("id", ParseIntPipe) id: number) {
    return this.patients.one(id);
  }

  @Get(":id/label")
  label(@Param("id") id: string, @Res() res: Response) {
    // vuln: xss
    res.send(`<b>${id}</b>`);
  }

  @Get(":id/go")
  go(@Query("to") to: string, @Res() res: Response) {
    // vuln: open_redirect
    return res.redirect(to);
  }

  @Get(":id/back")
  back(@Param("id", ParseIntPipe) id: number, @Res() res: Response) {
    // safe: open_redirect
    return res.redirect(`/patients/${id}`);
  }
}

import { Controller, Get, Param, Res, StreamableFile } from "@nestjs/common";
import { createReadStream } from "fs";
import { basename, join } from "path";
import { safeJoin } from "./paths";

@Controller("files")
export class FilesController {
  @Get(":name")
  read(@Param("name") name: string) {
    // vuln: path_traversal
    return new StreamableFile(createReadStream(join("files", name)));
  }

  @Get("base/:name")
  readBase(@Param("name") name: string) {
    // safe: path_traversal
    return new StreamableFile(createReadStream(join("files", basename(name))));
  }

  @Get("inside/:name")
  readInside(@Param("name") name: string) {
    // safe: path_traversal
    return new StreamableFile(createReadStream(safeJoin("files", name)));
  }
}

import { Controller, Get, Post, Put, Body, Query, Param, Res, Req, ParseIntPipe, UseGuards, Redirect, Header } from '@nestjs/common';
import { Response, Request } from 'express';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, DataSource, getManager, getRepository } from 'typeorm';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { PrismaService } from './prisma.service';
import { exec } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import axios from 'axios';
import { HttpService } from '@nestjs/axios';
import { User } from './user.entity';

class UpdateUserDto {
  name: string;
}

@Controller('users')
export class UsersController {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    @InjectModel('Cat') private catModel: Model<any>,
    private readonly dataSource: DataSource,
    private readonly prisma: PrismaService,
    private readonly http: HttpService,
  ) {}

  @Get('search')
  async search(@Query('name') name: string, @Query() query: any) {
    // vuln: sql_injection
    await this.users.query(`SELECT * FROM users WHERE name = '${name}'`);
    // vuln: sql_injection
    await this.dataSource.query("SELECT * FROM users WHERE name = '" + query.name + "'");
    // vuln: sql_injection
    await this.users.createQueryBuilder('u').where(`u.name = '${name}'`).getMany();
    // safe: sql_injection
    await this.users.createQueryBuilder('u').where('u.name = :name', { name }).getMany();
    // vuln: sql_injection
    await this.users.createQueryBuilder('u').where('1=1').orderBy(query.sort).getMany();
    // vuln: sql_injection
    await this.prisma.$queryRawUnsafe(`SELECT * FROM users WHERE name = '${name}'`);
    // safe: sql_injection
    await this.prisma.$queryRaw`SELECT * FROM users WHERE name = ${name}`;
    // vuln: sql_injection
    await getManager().query(`SELECT * FROM users WHERE name = '${name}'`);
    // vuln: sql_injection
    await getRepository(User).createQueryBuilder('u').andWhere("u.name = '" + name + "'").getOne();
    // safe: nosql_injection
    await this.users.findOne({ where: { name } });
    // safe: sql_injection
    await this.users.find({ where: { name } });
  }

  @Get('cats')
  async cats(@Query() query: any, @Body() body: any) {
    // vuln: nosql_injection
    await this.catModel.findOne({ name: query.name });
    // vuln: nosql_injection
    await this.catModel.find(query);
    // vuln: nosql_script
    await this.catModel.find({ $where: `this.name == '${query.name}'` });
    // safe: nosql_injection
    await this.catModel.findOne({ name: String(query.name) });
    // safe: nosql_injection
    await this.catModel.findOne({ name: { $eq: body.name } });
  }

  @Get(':id/file')
  file(@Param('id') id: string, @Param('n', ParseIntPipe) n: number, @Res() res: Response) {
    // vuln: path_traversal
    res.sendFile(path.join('/data', id));
    // safe: path_traversal
    res.sendFile(path.join('/data', `${n}.txt`));
    // vuln: path_traversal
    fs.readFileSync(`/data/${id}`);
  }

  @Post('run')
  run(@Body('cmd') cmd: string, @Body() body: { host: string }) {
    // vuln: command_injection
    exec(`ping ${body.host}`);
    // vuln: command_injection
    exec(cmd);
  }

  @Get('go')
  @Redirect()
  go(@Query('to') to: string) {
    // vuln: open_redirect
    return { url: to, statusCode: 302 };
  }

  @Get('go2')
  go2(@Query('to') to: string, @Res() res: Response) {
    // vuln: open_redirect
    return res.redirect(to);
  }

  @Get('fetch')
  async fetchIt(@Query('url') url: string) {
    // vuln: ssrf
    await axios.get(url);
    // vuln: ssrf
    await this.http.get(url).toPromise();
    // vuln: ssrf
    await this.http.axiosRef.get(url);
  }

  @Get('html')
  @Header('Content-Type', 'text/html')
  html(@Query('q') q: string) {
    // vuln: xss
    return `<h1>${q}</h1>`;
  }

  @Get('json')
  json(@Query('q') q: string) {
    // safe: xss
    return { q };
  }

  @Put(':id')
  async update(@Param('id') id: string, @Body() dto: UpdateUserDto, @Body() body: any) {
    // vuln: mass_assignment
    await this.users.update(id, body);
    // safe: mass_assignment
    await this.users.update(id, { name: body.name });
  }
}

import { Router, Request, Response, NextFunction } from 'express';
import { UserService } from './user.service';
import { exec } from 'child_process';
import multer from 'multer';
import path from 'path';
import fs from 'fs';
export class UserController {
  public router = Router();
  constructor(private service: UserService) {
    this.router.get('/:id', this.find.bind(this));
    this.router.post('/', this.create);
  }
  async find(request: Request, response: Response): Promise<void> {
    response.json(await this.service.find(request.params.id));
  }
  create = async (request: Request, response: Response, next: NextFunction) => {
    // vuln: command_injection
    exec(`adduser ${request.body.name}`);
    // vuln: xss
    response.send(`<p>${request.body.name}</p>`);
  };
  remove(inputs: { request: Request }) {}
}
const storage = multer.diskStorage({
  destination: 'uploads/',
  filename: (req, file, cb) => cb(null, file.originalname),
});
export const handler = (dir: string) => (req: Request, res: Response) => {
  // vuln: path_traversal
  res.sendFile(path.join(dir, req.params.name));
};
export const upload = async (req: Request, res: Response) => {
  const file = req.file;
  // vuln: path_traversal
  fs.writeFileSync(`uploads/${file.originalname}`, file.buffer);
  res.end();
};

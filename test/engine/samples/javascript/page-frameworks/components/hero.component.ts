import { Component, ElementRef, OnInit } from '@angular/core';
import { DomSanitizer, SafeHtml } from '@angular/platform-browser';
import { ActivatedRoute, Router } from '@angular/router';
@Component({ selector: 'hero', template: '<div [innerHTML]="html"></div>' })
export class HeroComponent implements OnInit {
  html: SafeHtml;
  constructor(private sanitizer: DomSanitizer, private route: ActivatedRoute, private el: ElementRef) {}
  ngOnInit() {
    // vuln: xss
    this.html = this.sanitizer.bypassSecurityTrustHtml(this.route.snapshot.queryParams.q);
    const queryParam = this.route.snapshot.queryParamMap.get('q');
    // vuln: xss
    this.html = this.sanitizer.bypassSecurityTrustHtml(queryParam);
    // vuln: xss
    this.el.nativeElement.innerHTML = this.route.snapshot.params['name'];
    this.route.queryParams.subscribe((params) => {
      // vuln: xss
      this.html = this.sanitizer.bypassSecurityTrustHtml(params['bio']);
      // vuln: open_redirect
      window.location.href = params['returnUrl'];
    });
    // safe: xss
    this.html = this.sanitizer.bypassSecurityTrustHtml('<b>fixed</b>');
  }
}

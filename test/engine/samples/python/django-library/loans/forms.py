from django import forms


class LoanForm(forms.Form):
    book = forms.IntegerField()
    state = forms.ChoiceField(choices=[("open", "open"), ("closed", "closed")])
    note = forms.CharField()
    page = forms.URLField()

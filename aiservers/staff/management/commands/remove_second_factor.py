"""`manage.py remove_second_factor NAME`: the way back when the last administrator has lost the phone."""

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from aiservers.staff import second_factor
from aiservers.staff.models import AuditEntry


class Command(BaseCommand):
    help = "Remove two-factor sign-in of one account: the next sign-in asks for the password only."

    def add_arguments(self, parser):
        parser.add_argument("name", help="user name of the account")

    def handle(self, *args, name, **options):
        user = get_user_model()._default_manager.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account {name!r}.")
        if not second_factor.remove(user):
            raise CommandError(f"{name!r} has no two-factor sign-in.")
        AuditEntry.objects.create(
            act=AuditEntry.Act.FACTOR_REMOVED, who="remove_second_factor", what=user.get_username()
        )
        self.stdout.write(f"{name} signs in without a code now.")
